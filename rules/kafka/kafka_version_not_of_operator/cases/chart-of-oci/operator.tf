resource "helm_release" "strimzi" {
  name    = "strimzi"
  chart   = "oci://quay.io/strimzi-helm/strimzi-kafka-operator"
  version = "0.45.0"
}
