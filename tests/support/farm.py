"""farm.py openjd|opencue FILE NAME=VALUE...: runs a template of Open Job Description or of OpenCue here: what others wait for
first, and the tasks of each in reverse. NAME=VALUE: a parameter, or a variable of the job; RANGE=1-N of OpenCue's first layer."""
import os, re, subprocess, sys
import xml.etree.ElementTree as tree

def numbers(text):
    first, _, last = text.partition("-")
    return reversed(range(int(first), int(last or first) + 1))

def openjd(path, given):
    import yaml
    job = yaml.safe_load(open(path))
    assert job["specificationVersion"] == "jobtemplate-2023-09"
    values = {f"Param.{p['name']}": str(p.get("default")) for p in job["parameterDefinitions"]}
    values.update(("Param." + name, value) for name, value in given.items())
    def fill(text, more={}):
        return re.sub(r"\{\{\s*([\w.]+)\s*\}\}", lambda m: {**values, **more}[m[1]], str(text))
    done = set()
    for step in job["steps"]:
        assert all(d["dependsOn"] in done for d in step.get("dependencies", []))
        tasks = [{}]
        for p in step.get("parameterSpace", {}).get("taskParameterDefinitions", []):
            tasks = [{**t, "Task.Param." + p["name"]: str(n)} for t in tasks for n in numbers(fill(p["range"]))]
        action = step["script"]["actions"]["onRun"]
        for task in tasks:
            subprocess.run([fill(action["command"], task), *(fill(a, task) for a in action["args"])], check=True)
        done.add(step["name"])

def opencue(path, given):
    spec = tree.parse(path).getroot()
    job = spec.find("job")
    values = {key.get("name"): key.text for key in job.findall("env/key")}
    waits = {d.findtext("deplayer"): d.findtext("onlayer") for d in spec.findall("depends/depend")}
    assert all(name in values for name in given if name != "RANGE")
    done = []
    for layer in job.findall("layers/layer"):
        name, frames = layer.get("name"), layer.findtext("range")
        assert waits.get(name) is None or waits[name] in done
        if not done:
            frames = given.pop("RANGE")
        for frame in numbers(frames):
            cue = {"CUE_JOB": job.get("name"), "CUE_LAYER": name, "CUE_RANGE": frames, "CUE_IFRAME": str(frame)}
            line = layer.findtext("cmd").replace("#IFRAME#", str(frame))
            subprocess.run(line, shell=True, check=True, env={**os.environ, **values, **given, **cue})
        done.append(name)

{"openjd": openjd, "opencue": opencue}[sys.argv[1]](sys.argv[2], dict(word.split("=", 1) for word in sys.argv[3:]))
