"""The published Python SDK 0.3.26 as a client: python_v03.py URL BINDING, with the agent `dummy` at that URL."""

import asyncio
import os
import sys
import uuid

import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientError
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    Part,
    PushNotificationAuthenticationInfo,
    PushNotificationConfig,
    Role,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TaskState,
    TextPart,
)
from receiver import Receiver

URL, BINDING = sys.argv[1:3]
# Who calls through a gateway shows its token.
HEADERS = {"Authorization": f"Bearer {os.environ['A2A_TOKEN']}"} if "A2A_TOKEN" in os.environ else {}


def message(text, task=None):
    parts = [Part(root=TextPart(text=text))]
    return Message(message_id=str(uuid.uuid4()), role=Role.user, parts=parts, task_id=task)


class Agent:
    """The clients of one agent: one that waits, one that streams, one that does neither."""

    async def connect(self):
        self.web = httpx.AsyncClient(timeout=60, headers=HEADERS)
        self.card = await A2ACardResolver(self.web, URL).get_agent_card()
        self.once, self.live = self.client(streaming=False), self.client(streaming=True)
        self.hasty = self.client(streaming=False, polling=True)
        return self

    def client(self, **config):
        config = ClientConfig(httpx_client=self.web, supported_transports=[BINDING], use_client_preference=True, **config)
        return ClientFactory(config).create(self.card)

    async def send(self, text, task=None, client=None):
        answers = [answer async for answer in (client or self.once).send_message(message(text, task))]
        return answers[-1][0]


def words(task):
    parts = [part.root for artifact in task.artifacts or [] for part in artifact.parts]
    return "".join(part.text for part in parts if isinstance(part, TextPart))


async def discovery(agent):
    assert agent.card.name == "dummy" and agent.card.protocol_version == "0.3.0", agent.card
    assert agent.card.capabilities.streaming and agent.card.capabilities.push_notifications, agent.card


async def blocking(agent):
    task = await agent.send("say:hello there")
    assert task.status.state == TaskState.completed and words(task) == "hello there", task
    again = await agent.once.get_task(TaskQueryParams(id=task.id, history_length=1))
    assert words(again) == "hello there" and len(again.history) == 1, again


async def streaming(agent):
    events = [event async for event in agent.live.send_message(message("slow:1"))]
    task, last = events[-1]
    assert last.final and last.status.state == TaskState.completed, last
    kept = await agent.once.get_task(TaskQueryParams(id=task.id))
    assert words(task) == words(kept) != "", (task, kept)


async def cancel(agent):
    task = await agent.send("slow:60", client=agent.hasty)
    assert task.status.state in (TaskState.submitted, TaskState.working), task
    gone = await agent.once.cancel_task(TaskIdParams(id=task.id))
    assert gone.status.state == TaskState.canceled, gone
    try:
        await agent.once.get_task(TaskQueryParams(id="nobody"))
        raise AssertionError("found nobody")
    except A2AClientError:
        pass


async def resubscribe(agent):
    task = await agent.send("slow:2", client=agent.hasty)
    events = [event async for event in agent.live.resubscribe(TaskIdParams(id=task.id))]
    folded, last = events[-1]
    assert last.final and folded.status.state == TaskState.completed, events[-1]
    kept = await agent.once.get_task(TaskQueryParams(id=task.id))
    assert words(folded) == words(kept), (folded, kept)


async def questions(agent):
    task = await agent.send("ask:yn Really?")
    assert task.status.state == TaskState.input_required, task
    assert "Really?" in task.status.message.parts[0].root.text, task
    done = await agent.send("yes", task.id)
    assert done.id == task.id and done.status.state == TaskState.completed, done
    events = [event async for event in agent.live.send_message(message("ask:yn Sure?"))]
    asked, last = events[-1]
    assert last.final and asked.status.state == TaskState.input_required, events[-1]
    done = await agent.send("no", asked.id)
    assert done.status.state == TaskState.completed, done


async def push(agent):
    receiver = Receiver()
    place = PushNotificationConfig(
        id="mine", url=receiver.url, token="secret",
        authentication=PushNotificationAuthenticationInfo(schemes=["Bearer"], credentials="card"),
    )
    told = agent.client(streaming=False, push_notification_configs=[place])
    task = await agent.send("say:pushed", client=told)
    for headers, body in receiver.until(lambda body: body["status"]["state"] == "completed"):
        assert headers["x-a2a-notification-token"] == "secret" and headers["authorization"] == "Bearer card", headers
        assert body["kind"] == "task" and body["id"] == task.id, body
    kept = await agent.once.get_task_callback(
        GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id="mine")
    )
    assert kept.push_notification_config.url == receiver.url, kept
    later = await agent.send("slow:1", client=agent.hasty)
    config = PushNotificationConfig(id="later", url=receiver.url)
    await agent.once.set_task_callback(TaskPushNotificationConfig(task_id=later.id, push_notification_config=config))
    receiver.until(lambda body: body["id"] == later.id and body["status"]["state"] == "completed")


async def five_at_once(agent):
    tasks = await asyncio.gather(*(agent.send(f"say:number {number}") for number in range(5)))
    assert sorted(words(task) for task in tasks) == [f"number {number}" for number in range(5)], tasks


async def main():
    agent = await Agent().connect()
    # There is no list of tasks in 0.3.
    for case in [discovery, blocking, streaming, cancel, resubscribe, questions, push, five_at_once]:
        await asyncio.wait_for(case(agent), 60)
        print(f"ok {case.__name__}", flush=True)


asyncio.run(main())
