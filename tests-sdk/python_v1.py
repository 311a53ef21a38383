"""The published Python SDK 1.3 as a client: python_v1.py URL BINDING, with the agent `dummy` at that URL. Over gRPC it
finds the port in the card."""

import asyncio
import os
import sys
import uuid

import grpc
import httpx

from a2a.client import ClientConfig, create_client
from a2a.types import a2a_pb2 as pb
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError
from google.protobuf.json_format import MessageToDict
from receiver import Receiver

URL, BINDING = sys.argv[1:3]
# Who calls through a gateway shows its token.
HEADERS = {"Authorization": f"Bearer {os.environ['A2A_TOKEN']}"} if "A2A_TOKEN" in os.environ else {}
STATE = pb.TaskState


def request(text, *, task="", now=False, push=None, history=None):
    message = pb.Message(message_id=str(uuid.uuid4()), role=pb.ROLE_USER, parts=[pb.Part(text=text)], task_id=task)
    configuration = pb.SendMessageConfiguration(return_immediately=now)
    if push:
        configuration.task_push_notification_config.CopyFrom(push)
    if history is not None:
        configuration.history_length = history
    return pb.SendMessageRequest(message=message, configuration=configuration)


async def connect(streaming):
    web = httpx.AsyncClient(timeout=60, headers=HEADERS)
    config = ClientConfig(
        streaming=streaming, httpx_client=web, supported_protocol_bindings=[BINDING],
        grpc_channel_factory=grpc.aio.insecure_channel,
    )
    return await create_client(URL, config)


async def send(client, *args, **kwargs):
    """The task that a message that is answered once becomes."""
    [answer] = [answer async for answer in client.send_message(request(*args, **kwargs))]
    assert answer.WhichOneof("payload") == "task", answer
    return answer.task


def words(task):
    return "".join(part.text for artifact in task.artifacts for part in artifact.parts)


def fold(frames):
    """The task that the frames of a stream add up to."""
    task = pb.Task()
    for frame in frames:
        kind = frame.WhichOneof("payload")
        if kind == "task":
            task.CopyFrom(frame.task)
        elif kind == "status_update":
            task.status.CopyFrom(frame.status_update.status)
        elif kind == "artifact_update":
            update = frame.artifact_update
            known = [one for one in task.artifacts if one.artifact_id == update.artifact.artifact_id]
            if not known:
                assert not update.append, "more of what was never begun"
                task.artifacts.append(update.artifact)
            elif update.append:
                known[0].parts.extend(update.artifact.parts)
            else:
                known[0].CopyFrom(update.artifact)
    return task


async def discovery(once, live):
    card = await once.get_extended_agent_card(pb.GetExtendedAgentCardRequest())
    assert card.name == "dummy" and card.capabilities.streaming and card.capabilities.push_notifications, card
    assert card.supported_interfaces[0].protocol_version == "1.0", card


async def blocking(once, live):
    task = await send(once, "say:hello there")
    assert task.status.state == STATE.TASK_STATE_COMPLETED, task
    assert words(task) == "hello there", task
    again = await once.get_task(pb.GetTaskRequest(id=task.id, history_length=0))
    assert words(again) == "hello there" and not again.history, again


async def code(once, live):
    task = await send(once, "code:python")
    [_, block, _] = task.artifacts
    [part] = block.parts
    assert part.media_type == "text/x-python" and part.metadata["language"] == "python", block


async def streaming(once, live):
    frames = [frame async for frame in live.send_message(request("slow:1"))]
    assert frames[0].WhichOneof("payload") == "task", frames[0]
    states = [frame.status_update.status.state for frame in frames if frame.HasField("status_update")]
    assert states[-1] == STATE.TASK_STATE_COMPLETED, states
    folded = fold(frames)
    kept = await once.get_task(pb.GetTaskRequest(id=folded.id))
    assert words(folded) == words(kept) != "", (folded, kept)
    assert folded.status == kept.status


async def listing(once, live):
    first = await send(once, "say:one")
    for _ in range(2):
        await send(once, "say:more")
    page = await once.list_tasks(pb.ListTasksRequest(page_size=2))
    assert page.page_size == 2 and len(page.tasks) == 2 and page.total_size >= 3 and page.next_page_token, page
    assert not page.tasks[0].artifacts, page
    seen = list(page.tasks)
    while page.next_page_token:
        page = await once.list_tasks(pb.ListTasksRequest(page_size=2, page_token=page.next_page_token))
        seen.extend(page.tasks)
    ids = [task.id for task in seen]
    assert len(ids) == len(set(ids)) and first.id in ids, ids
    # As numbers: the text of a whole second has no fraction and would sort behind the rest of its second.
    times = [task.status.timestamp.ToNanoseconds() for task in seen]
    assert times == sorted(times, reverse=True), times
    one = await once.list_tasks(pb.ListTasksRequest(context_id=first.context_id, include_artifacts=True))
    assert [task.id for task in one.tasks] == [first.id] and words(one.tasks[0]) == "one", one


async def cancel(once, live):
    task = await send(once, "slow:60", now=True)
    assert task.status.state in (STATE.TASK_STATE_SUBMITTED, STATE.TASK_STATE_WORKING), task
    gone = await once.cancel_task(pb.CancelTaskRequest(id=task.id))
    assert gone.status.state == STATE.TASK_STATE_CANCELED, gone
    try:
        await once.cancel_task(pb.CancelTaskRequest(id=task.id))
        raise AssertionError("canceled twice")
    except TaskNotCancelableError:
        pass
    try:
        await once.get_task(pb.GetTaskRequest(id="nobody"))
        raise AssertionError("found nobody")
    except TaskNotFoundError:
        pass


async def resubscribe(once, live):
    task = await send(once, "slow:2", now=True)
    frames = [frame async for frame in live.subscribe(pb.SubscribeToTaskRequest(id=task.id))]
    assert frames[0].WhichOneof("payload") == "task", frames[0]
    folded = fold(frames)
    assert folded.status.state == STATE.TASK_STATE_COMPLETED, folded
    kept = await once.get_task(pb.GetTaskRequest(id=task.id))
    assert words(folded) == words(kept), (folded, kept)
    try:
        async for _ in live.subscribe(pb.SubscribeToTaskRequest(id=task.id)):
            raise AssertionError("a task that is over told more")
    except UnsupportedOperationError:
        pass


async def questions(once, live):
    task = await send(once, "ask:yn Really?")
    assert task.status.state == STATE.TASK_STATE_INPUT_REQUIRED, task
    assert "Really?" in task.status.message.parts[0].text, task
    assert list(task.status.message.metadata["synapse/options"]) == ["y", "n"], task
    done = await send(once, "yes", task=task.id)
    assert done.id == task.id and done.context_id == task.context_id, done
    assert done.status.state == STATE.TASK_STATE_COMPLETED, done
    assert [message.role for message in done.history] == [pb.ROLE_USER, pb.ROLE_AGENT, pb.ROLE_USER], done

    frames = [frame async for frame in live.send_message(request("ask:yn Sure?"))]
    asked = fold(frames)
    assert asked.status.state == STATE.TASK_STATE_INPUT_REQUIRED, asked
    frames = [frame async for frame in live.send_message(request("no", task=asked.id))]
    assert fold(frames).status.state == STATE.TASK_STATE_COMPLETED, frames


async def push(once, live):
    receiver = Receiver()
    place = pb.TaskPushNotificationConfig(
        id="mine", url=receiver.url, token="secret",
        authentication=pb.AuthenticationInfo(scheme="Bearer", credentials="card"),
    )
    task = await send(once, "say:pushed", push=place)
    seen = receiver.until(lambda body: "COMPLETED" in str(body))
    for headers, body in seen:
        assert headers["x-a2a-notification-token"] == headers["a2a-notification-token"] == "secret", headers
        assert headers["authorization"] == "Bearer card", headers
        assert headers["content-type"] == "application/a2a+json", headers
        assert len(body) == 1, body
    assert "task" in seen[0][1], seen[0]
    kept = await once.get_task_push_notification_config(pb.GetTaskPushNotificationConfigRequest(task_id=task.id, id="mine"))
    assert kept.url == receiver.url and kept.authentication.credentials == "card", kept
    listed = await once.list_task_push_notification_configs(pb.ListTaskPushNotificationConfigsRequest(task_id=task.id))
    assert [one.id for one in listed.configs] == ["mine"], listed
    gone = pb.DeleteTaskPushNotificationConfigRequest(task_id=task.id, id="mine")
    await once.delete_task_push_notification_config(gone)
    await once.delete_task_push_notification_config(gone)
    try:
        await once.get_task_push_notification_config(pb.GetTaskPushNotificationConfigRequest(task_id=task.id, id="mine"))
        raise AssertionError("deleted and still there")
    except TaskNotFoundError:
        pass
    later = await send(once, "slow:1", now=True)
    await once.create_task_push_notification_config(
        pb.TaskPushNotificationConfig(task_id=later.id, url=receiver.url)
    )
    assert later.id in str(receiver.until(lambda body: "COMPLETED" in str(body))[-1][1])


async def five_at_once(once, live):
    tasks = await asyncio.gather(*(send(once, f"say:number {number}") for number in range(5)))
    assert sorted(words(task) for task in tasks) == [f"number {number}" for number in range(5)], tasks
    assert len({task.id for task in tasks}) == 5


async def repeats(once, live):
    sent = request("say:once")
    answers = [[one async for one in once.send_message(sent)][0] for _ in range(2)]
    assert answers[0].task.id == answers[1].task.id, answers


async def main():
    once, live = await connect(False), await connect(True)
    cases = [discovery, blocking, code, streaming, listing, cancel, resubscribe, questions, push, five_at_once, repeats]
    for case in cases:
        await asyncio.wait_for(case(once, live), 60)
        print(f"ok {case.__name__}", flush=True)


asyncio.run(main())
