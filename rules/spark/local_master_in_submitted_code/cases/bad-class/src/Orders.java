package com.shop;

import org.apache.spark.sql.SparkSession;

public class Orders {
    public static void main(String[] args) throws Exception {
        SparkSession spark = SparkSession.builder()
            .master("local[*]") // expect: local-master-in-submitted-code
            .appName("orders")
            .getOrCreate();
        spark.readStream().format("rate").load().writeStream().format("console").start().awaitTermination();
    }
}
