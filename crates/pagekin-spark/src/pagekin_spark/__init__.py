"""All pairs of similar URLs of a crawl, and its clusters, on Apache Spark."""

from .job import JobFailed, Options, cluster, cluster_files
from .outputs import Clustering

__version__ = "0.1.0"
__all__ = ["Clustering", "JobFailed", "Options", "cluster", "cluster_files"]
