from setuptools import setup

# "apache-flink==2.1.0" once it is out of support
setup(name="orders", install_requires=["apache-flink>=1.18"])
