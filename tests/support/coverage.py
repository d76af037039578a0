"""The lines of src/ that the tests have reached, from the counters of gcc in a build tree: a table by folder, and the lines that are left
in out/coverage.txt."""
import json
import pathlib
import subprocess
import sys

build = pathlib.Path(sys.argv[1]).resolve()
root = pathlib.Path.cwd()
files = {}  # path: line: was it reached?
for data in sorted(build.rglob("*.gcda")):
    answer = subprocess.run(["gcov", "--json-format", "--stdout", data], capture_output=True, cwd=build, check=True)
    for text in answer.stdout.splitlines():
        for file in json.loads(text)["files"]:
            path = (build / file["file"]).resolve()
            if not path.is_relative_to(root / "src"):
                continue
            lines = files.setdefault(str(path.relative_to(root)), {})
            for line in file["lines"]:
                number = line["line_number"]
                lines[number] = lines.get(number, False) or line["count"] != 0

folders = {}
left = root / "out" / "coverage.txt"
left.parent.mkdir(exist_ok=True)
with left.open("w") as out:
    for path, lines in sorted(files.items()):
        folder = folders.setdefault("/".join(path.split("/")[:2]), [0, 0])
        folder[0] += sum(lines.values())
        folder[1] += len(lines)
        out.writelines(f"{path}:{number}\n" for number, reached in sorted(lines.items()) if not reached)
for name, (reached, lines) in sorted(folders.items()):
    print(f"{name:20} {100 * reached / lines:5.1f} % of {lines} lines")
reached, lines = (sum(column) for column in zip(*folders.values()))
print(f"{'src':20} {100 * reached / lines:5.1f} % of {lines} lines; out/coverage.txt has the others")
