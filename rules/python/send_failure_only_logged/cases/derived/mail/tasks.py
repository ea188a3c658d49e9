"""New mails, put into Kafka."""

from mail.publisher import MailPublisher


async def poll(inbox, seen):
    publisher = MailPublisher("broker:9092")
    for mail in await inbox.fetch():
        try:
            publisher.publish_mail(mail)
            await seen.mark_processed(mail["id"])  # expect: send-failure-only-logged
        except Exception as error:
            print("not taken", error)
    publisher.flush()
