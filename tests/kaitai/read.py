"""python read.py FOLDER: for each line [class, hex] of the input, print a line with what that class reads, or its
error."""

import importlib
import json
import re
import sys
from enum import Enum
from typing import Any


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, int | str):
        return value
    getters = [name for name, each in vars(type(value)).items() if isinstance(each, property)]
    return {name: plain(getattr(value, name)) for name in [*vars(value), *getters] if not name.startswith("_")}


def read(name: str, data: str) -> dict[str, Any]:
    module = importlib.import_module(re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower())
    try:
        return {"read": plain(getattr(module, name).from_bytes(bytes.fromhex(data)))}
    except Exception as error:
        return {"error": repr(error)}


sys.path.insert(0, sys.argv[1])
for line in sys.stdin:
    print(json.dumps(read(*json.loads(line))))
