resource "google_pubsub_topic" "dead" {
  name = "orders-dead"
}

resource "google_cloudfunctions2_function" "look" {
  name = "look"
  event_trigger {
    event_type   = "google.cloud.pubsub.topic.v1.messagePublished"
    pubsub_topic = google_pubsub_topic.dead.id
  }
}
