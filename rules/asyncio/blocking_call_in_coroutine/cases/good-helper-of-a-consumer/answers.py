from openai import AsyncOpenAI


async def answer(question):
    model = AsyncOpenAI()
    made = await model.chat.completions.create(
        model="m", messages=[{"role": "user", "content": question.decode()}]
    )
    return made.choices[0].message.content
