"""Runs a separate Spark cluster on 127.0.0.1: a master, and workers with one core each, which can be killed."""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pyspark

LOCAL = "127.0.0.1"
HOME = Path(pyspark.__file__).parent
# Two executors fit on small machines. A lost one is detected within seconds.
CONFS = {
    "spark.driver.host": LOCAL,
    "spark.driver.bindAddress": LOCAL,
    "spark.executor.cores": "1",
    "spark.executor.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.network.timeout": "60s",
    "spark.executor.heartbeatInterval": "5s",
}
SECONDS_TO_START = 120


def environment(folder):
    """Returns the environment of the processes of the cluster and of its drivers."""
    return {
        **os.environ,
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": LOCAL,
        "SPARK_LOCAL_DIRS": f"{folder}/local",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
        "PYSPARK_PYTHON": sys.executable,
    }


class Standalone:
    """A context manager in whose block the cluster runs. It leaves no process behind."""

    def __init__(self, folder, workers=2, memory="2g"):
        self.folder, self.count, self.memory = Path(folder), workers, memory
        self.master, self.workers = None, []

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            port, web = free_port(), free_port()
            self.url = f"spark://{LOCAL}:{port}"
            words = ["--host", LOCAL, "--port", str(port), "--webui-port", str(web)]
            self.master = self.start("master", "master.Master", *words)
            self.wait(web, 0)
            for number in range(self.count):
                words = ["--host", LOCAL, "--port", "0", "--webui-port", "0", "--cores", "1"]
                words += ["--memory", self.memory, "-d", str(self.folder / f"w{number}"), self.url]
                self.workers.append(self.start(f"w{number}", "worker.Worker", *words))
            self.wait(web, self.count)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        started = [process for process in [*self.workers, self.master] if process]
        pids = [pid for process in started for pid in tree(process.pid)]
        kill(pids)
        for process in started:
            process.wait()

    def start(self, name, what, *words):
        command = [str(HOME / "bin/spark-class"), f"org.apache.spark.deploy.{what}", *words]
        with open(self.folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(
                command,
                env=environment(self.folder),
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=end_with_parent,
            )

    def wait(self, web, workers):
        """Waits until this number of workers has registered."""
        end = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < end:
            for process in [self.master, *self.workers]:
                if process.poll() is not None:
                    raise RuntimeError(
                        f"a process of the cluster ended: see the logs in {self.folder}"
                    )
            try:
                with urllib.request.urlopen(f"http://{LOCAL}:{web}/json/", timeout=5) as answer:
                    if json.load(answer)["aliveworkers"] >= workers:
                        return
            except OSError:
                pass
            time.sleep(0.2)
        raise RuntimeError(f"the cluster did not start: see the logs in {self.folder}")

    def kill_worker(self, stage, job):
        """Kills the last worker once it runs a stage of a job, with its executor and the Python and
        pagekin processes of that. Returns the number of processes by name."""
        worker = self.workers[-1]
        words = b"stage\0" + stage.encode() + b"\0"
        while job.poll() is None:
            pids = tree(worker.pid)
            if any(words in command_of(pid) for pid in pids):
                self.workers.pop()
                names = [name_of(pid) for pid in pids]
                kill(pids)
                worker.wait()
                return {name: names.count(name) for name in names}
            time.sleep(0.1)
        raise RuntimeError(f"the job ended before the last worker ran the stage {stage}")


def end_with_parent():
    """On Linux, ends the new process when its parent is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def free_port():
    with socket.socket() as listening:
        listening.bind((LOCAL, 0))
        return listening.getsockname()[1]


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def tree(root):
    """Returns a process with all of its descendants."""
    children = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(folder.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def name_of(pid):
    """Returns java, python or pagekin, or else the name of the program."""
    try:
        program = Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "gone"
    return next(
        (name for name in ("java", "python", "pagekin") if program.startswith(name)), program
    )
