#!/usr/bin/env python3
"""sarif.py FILE RESULTS: what SARIF 2.1.0 demands of the parts that we write, and that there are so many results."""
import json, re, sys
from urllib.parse import urlsplit

LEVELS = {"none", "note", "warning", "error"}


def only(value, allowed, needed):
    assert isinstance(value, dict), value
    assert set(value) <= set(allowed) | set(needed), set(value) - set(allowed) - set(needed)
    assert set(needed) <= set(value), set(needed) - set(value)
    return value


def message(value):
    assert isinstance(only(value, ["markdown", "id", "arguments"], ["text"])["text"], str) and value["text"]


def main(path, count):
    with open(path, encoding="utf-8") as file:
        log = only(json.load(file), ["$schema", "inlineExternalProperties", "properties"], ["version", "runs"])
    assert log["version"] == "2.1.0" and len(log["runs"]) == 1
    run = only(log["runs"][0], ["invocations", "artifacts", "columnKind", "originalUriBaseIds"], ["tool", "results"])
    driver = only(only(run["tool"], ["extensions"], ["driver"])["driver"], ["version", "semanticVersion", "informationUri"],
                  ["name", "rules"])
    rules = driver["rules"]
    for rule in rules:
        message(only(rule, ["fullDescription", "help", "name"], ["id", "shortDescription"])["shortDescription"])
    assert len({r["id"] for r in rules}) == len(rules)
    assert len(run["results"]) == count, len(run["results"])
    for result in run["results"]:
        only(result, ["partialFingerprints", "properties"], ["ruleId", "ruleIndex", "level", "message", "locations"])
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in LEVELS
        message(result["message"])
        assert all(isinstance(v, str) for v in result["partialFingerprints"].values())
        for location in result["locations"]:
            place = only(only(location, [], ["physicalLocation"])["physicalLocation"], ["region"], ["artifactLocation"])
            uri = only(place["artifactLocation"], ["uriBaseId", "index"], ["uri"])["uri"]
            assert re.fullmatch(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+", uri), uri
            assert not re.search(r"%(?![0-9A-Fa-f]{2})", uri), uri
            urlsplit(uri)


main(sys.argv[1], int(sys.argv[2]))
