resource "google_pubsub_topic" "dead" {
  name = "orders-dead"
}

resource "google_pubsub_subscription" "dead" {
  name  = "orders-dead"
  topic = google_pubsub_topic.dead.id
}
