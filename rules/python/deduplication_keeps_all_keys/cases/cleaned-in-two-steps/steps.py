from quality import distinct_events


def cleaned(df, manner):
    df = df.filter("id is not null")
    return distinct_events(df, manner)
