spark-submit --packages org.postgresql:postgresql:42.7.3 votes.py
