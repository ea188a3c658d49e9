resource "google_pubsub_topic" "dead" {
  name = "orders-dead"
}

resource "google_pubsub_subscription" "orders" {
  name  = "orders"
  topic = "orders"
  dead_letter_policy {
    dead_letter_topic = google_pubsub_topic.dead.id
  }
}

resource "google_pubsub_subscription" "dead" {
  name  = "orders-dead"
  topic = google_pubsub_topic.dead.id
}

# a topic of elsewhere
resource "google_pubsub_subscription" "refunds" {
  name  = "refunds"
  topic = "refunds"
  dead_letter_policy {
    dead_letter_topic = data.google_pubsub_topic.shared.id
  }
}

resource "google_pubsub_subscription" "returns" {
  name  = "returns"
  topic = "returns"
  dead_letter_policy {
    dead_letter_topic = var.dead_letters
  }
}

# one that keeps what it is given
resource "google_pubsub_topic" "kept" {
  name                       = "kept"
  message_retention_duration = "604800s"
}

resource "google_pubsub_subscription" "invoices" {
  name  = "invoices"
  topic = "invoices"
  dead_letter_policy {
    dead_letter_topic = google_pubsub_topic.kept.id
  }
}
