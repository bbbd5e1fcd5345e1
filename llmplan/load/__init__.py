"""Files and layers: which texts make up a plan, and which statement wins where two speak of one thing."""
