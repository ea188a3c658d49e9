#!/bin/bash
docker exec broker kafka-topics --bootstrap-server localhost:9092 --list # expect: tool-not-in-image
docker exec other kafka-topics --bootstrap-server localhost:9092 --list
