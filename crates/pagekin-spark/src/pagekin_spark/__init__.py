"""All pairs of similar URLs of a crawl, and its clusters, on Apache Spark."""

try:
    import pyspark as _
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "expected PySpark, found none: install pagekin-spark[spark], or the pyspark of your "
        "cluster's version",
        name="pyspark",
    ) from None

from .job import JobFailed, Options, cluster, cluster_files
from .outputs import Clustering

__version__ = "0.1.0"
__all__ = ["Clustering", "JobFailed", "Options", "cluster", "cluster_files"]
