from setuptools import find_packages, setup

setup(name="orders", packages=find_packages(), install_requires=["apache-flink==2.1.0", "requests>=2"])
