#!/bin/sh
spark-submit --master yarn --class com.shop.Orders target/orders.jar
