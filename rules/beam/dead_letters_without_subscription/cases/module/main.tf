resource "google_pubsub_topic" "orders" {
  name = "orders"
}

resource "google_pubsub_topic" "dead" {
  name = "orders-dead"
}

resource "google_pubsub_topic_iam_member" "forward" {
  topic  = google_pubsub_topic.dead.name
  role   = "roles/pubsub.publisher"
  member = "serviceAccount:pubsub@example.com"
}

resource "google_pubsub_subscription" "orders" {
  name  = "orders"
  topic = google_pubsub_topic.orders.name
  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead.id # expect: dead-letters-without-subscription
    max_delivery_attempts = 5
  }
}

output "dead_letters" {
  value = google_pubsub_topic.dead.name
}
