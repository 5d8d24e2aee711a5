"""Finds all pairs of similar URLs of a crawl, and clusters them, on Apache Spark."""

try:
    import pyspark as _
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "PySpark is not installed: install pagekin-spark[spark], or the pyspark of your "
        "cluster's version",
        name="pyspark",
    ) from None

from .job import JobFailed, Options, cluster, cluster_files
from .outputs import Clustering

__version__ = "0.1.0"
__all__ = ["Clustering", "JobFailed", "Options", "cluster", "cluster_files"]
