resource "google_pubsub_subscription" "orders" {
  name  = "orders"
  topic = "orders"
  dead_letter_policy {
    dead_letter_topic = google_pubsub_topic.dead.id
  }
}
