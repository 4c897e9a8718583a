"""The machine: what has to be installed on it, and what the README says about it."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

TOOLS = {"nginx": "nginx-light", "openssl": "openssl", "taskset": "util-linux", "curl-config": "libcurl4-openssl-dev",
         "gtlsserver": "ngtcp2-server", "gtlsclient": "ngtcp2-client", "go": "golang-go", "curl": "curl"}
# Files of packages that have no tool of their own.
FILES = {
    "/usr/include/ngtcp2/ngtcp2.h": "libngtcp2-dev", "/usr/include/nghttp3/nghttp3.h": "libnghttp3-dev",
    "/usr/include/openssl/sha.h": "libssl-dev", "/usr/share/nodejs/ws": "node-ws",
    "/usr/lib/python3/dist-packages/aiohttp": "python3-aiohttp",
}


def install_missing() -> None:
    """Installs the Debian packages whose tools are missing. Asks for root's rights only when something is."""
    packages = [package for tool, package in TOOLS.items() if not which(tool)]
    packages += [package for file, package in FILES.items() if not os.path.exists(file)]
    if not which("cc") and not which("clang"):
        packages += ["gcc", "libc6-dev"]
    if not packages:
        return
    if not which("apt-get"):
        raise SystemExit(f"please install what these Debian packages contain: {' '.join(packages)}")
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    print(f"installing {' '.join(packages)} ...", flush=True)
    subprocess.run(sudo + ["apt-get", "update", "-q"], check=True, timeout=600)
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    subprocess.run(
        sudo + environment + ["apt-get", "install", "-qy", "--no-install-recommends"] + packages, check=True, timeout=1800)


def which(tool: str) -> str | None:
    """Finds a tool also in /usr/sbin, where Debian keeps servers and which is not on every user's path."""
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin")


def cores() -> tuple[int, int]:
    """The server's core and the clients' core: the first and the last that this process may use."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[-1]


def description() -> list[str]:
    """Facts without which the figures mean nothing, one a line."""
    swift = first_line(["swift", "--version"])
    return [
        f"{os.cpu_count()} cores, {cpu_model()}, Linux {platform.release()}",
        swift,
        first_line([which("nginx") or "nginx", "-v"]).replace("nginx version: ", ""),
        first_line(["curl-config", "--version"]),
        first_line(["openssl", "version"]),
        first_line(["go", "version"]),
    ]


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def first_line(command: list[str]) -> str:
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return f"{command[0]}: not found"
    lines = [line for line in (result.stdout + "\n" + result.stderr).splitlines() if line.strip()]
    return lines[0].strip() if lines else command[0]
