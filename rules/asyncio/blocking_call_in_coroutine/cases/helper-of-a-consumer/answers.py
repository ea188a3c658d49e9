from openai import OpenAI


async def answer(question):
    model = OpenAI()
    made = model.chat.completions.create(  # expect: blocking-call-in-coroutine
        model="m", messages=[{"role": "user", "content": question.decode()}]
    )
    return made.choices[0].message.content
