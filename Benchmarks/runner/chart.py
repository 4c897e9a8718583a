"""The picture of README.md: results/speed.svg, which SpeedChart draws of results/latest.json."""

import subprocess

from .programs import Programs, Unavailable
from .scenarios import HOME


def write_chart(programs: Programs) -> bool:
    """Draws what the last run measured; the picture is left alone where that has nothing for it."""
    figures, picture = HOME / "results" / "latest.json", HOME / "results" / "speed.svg"
    try:
        command = programs.command("chart") + [str(figures), str(picture)]
    except Unavailable as error:
        print(error)
        return False
    return subprocess.run(command, check=False).returncode == 0
