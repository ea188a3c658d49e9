def distinct_events(df, manner):
    if manner == "none":
        return df
    return df.dropDuplicates(["id"])  # expect: deduplication-keeps-all-keys
