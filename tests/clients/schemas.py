"""Checks the sample of each message in the description against the JSON Schema of its kind."""

import json
import pathlib
import sys

import jsonschema

description, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
webhooks = json.loads(description.read_text())["webhooks"]
messages = {kind: calls["post"] for kind, calls in webhooks.items() if "post" in calls}
assert {path.name for path in folder.iterdir()} == {f"{kind}.schema.json" for kind in messages}
for kind, call in messages.items():
    schema = json.loads((folder / f"{kind}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    sample = call["requestBody"]["content"]["application/json"]["example"]
    jsonschema.validate(sample, schema)
print(f"Schemas: {len(messages)} samples are valid")
