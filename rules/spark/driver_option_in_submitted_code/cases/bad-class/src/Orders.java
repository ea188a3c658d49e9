package com.shop;

import org.apache.spark.sql.SparkSession;

public class Orders {
    public static void main(String[] args) throws Exception {
        SparkSession spark = SparkSession.builder()
            .config("spark.driver.memory", "4g") // expect: driver-option-in-submitted-code
            .appName("orders")
            .getOrCreate();
        spark.readStream().format("rate").load().writeStream().format("console").start().awaitTermination();
    }
}
