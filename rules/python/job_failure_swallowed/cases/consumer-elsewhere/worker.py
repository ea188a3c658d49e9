import logging

from consumer import MessageConsumer


def send(mail):
    print(mail)


def run():
    mails = MessageConsumer("broker:9092")
    try:
        mails.start_consuming("mails", send)
    except Exception as error:  # expect: job-failure-swallowed
        logging.critical("the worker has ended: %s", error)


if __name__ == "__main__":
    run()
