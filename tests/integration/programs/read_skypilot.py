"""Let SkyPilot read a task by its own schema and class, without a cloud, and print what it made of it.

Usage: read_skypilot.py sky.yaml
"""

import json
import sys
from pathlib import Path

import jsonschema
import sky
import yaml
from sky.utils import schemas

task = yaml.safe_load(Path(sys.argv[1]).read_text())
jsonschema.validate(task, schemas.get_task_schema())
read = sky.Task.from_yaml_config(task)
(resources,) = read.resources
print(
    json.dumps(
        {"nodes": read.num_nodes, "accelerators": resources.accelerators, "disk": resources.disk_size, "run": read.run}
    )
)
