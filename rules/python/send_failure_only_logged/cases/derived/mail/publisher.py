import json

from mail.base import BaseProducer


class MailPublisher(BaseProducer):
    def publish_mail(self, mail):
        self.publish("mails", json.dumps(mail))
        print("published", mail["id"])
