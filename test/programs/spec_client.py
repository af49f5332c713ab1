"""Drives every RPC of vtr's specification by gRPC's own implementation (C-core).

Usage: spec_client.py SOCKET DESCRIPTORS, a file with the specification's proto and what it imports as
a FileDescriptorSet. Prints a line for each step that went as it should, and fails at the first that
did not.
"""

import json
import sys
import time
from types import SimpleNamespace

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

pool = descriptor_pool.DescriptorPool()
with open(sys.argv[2], "rb") as descriptors:
    for file in descriptor_pb2.FileDescriptorSet.FromString(descriptors.read()).file:
        pool.Add(file)


def message_class(name):
    descriptor = pool.FindMessageTypeByName(name)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)


def stub(channel):
    """What a generated stub would be: an attribute for each RPC."""
    calls = {}
    for method in pool.FindServiceByName("vtr.VTR").methods:
        streams = method.name == "Subscribe"
        call = channel.unary_stream if streams else channel.unary_unary
        calls[method.name] = call(
            "/vtr.VTR/" + method.name,
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=message_class(method.output_type.full_name).FromString,
        )
    return SimpleNamespace(**calls)


class Messages:
    """Messages, and values of enumerations, by their names."""

    def __getattr__(self, name):
        if name.isupper():
            return pool.FindEnumTypeByName("vtr.SessionStatus").values_by_name[name].number
        return message_class("vtr." + name)


def step(name, holds):
    if not holds:
        sys.exit(f"{name}: not as it should be")
    print(name, flush=True)


def status(call, request, **options):
    try:
        call(request, **options)
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def rows(screen):
    return ["".join(cell.char for cell in row.cells).rstrip() for row in screen.screen_rows]


def seconds(count):
    duration = message_class("google.protobuf.Duration")
    return duration(seconds=int(count), nanos=int(count % 1 * 1e9))


channel = grpc.insecure_channel("unix:" + sys.argv[1])
vtr = stub(channel)
m = Messages()

spawned = vtr.Spawn(m.SpawnRequest(name="one", command="stty -echo; echo ready; exec cat"))
step("Spawn", spawned.session.status == m.SESSION_STATUS_RUNNING)
step("List", [each.name for each in vtr.List(m.ListRequest()).sessions] == ["one"])
step("Info", vtr.Info(m.InfoRequest(name="one")).session.cols == 80)

for event in vtr.Subscribe(m.SubscribeRequest(name="one", include_screen_updates=True)):
    if "ready" in rows(event.screen_update.screen):
        break
step("Subscribe", True)

waiting = vtr.WaitFor.future(m.WaitForRequest(name="one", pattern="gr.n", timeout=seconds(20)))
vtr.SendText(m.SendTextRequest(name="one", text="grün"))
vtr.SendBytes(m.SendBytesRequest(name="one", data=b"er"))
vtr.SendKey(m.SendKeyRequest(name="one", key="enter"))
step("SendText, SendBytes, SendKey, WaitFor", waiting.result().matched_line == "grüner")
idle = vtr.WaitForIdle(m.WaitForIdleRequest(name="one", idle_duration=seconds(0.1)))
step("WaitForIdle", idle.idle and not idle.timed_out)
step("GetScreen", rows(vtr.GetScreen(m.GetScreenRequest(name="one")))[:2] == ["ready", "grüner"])
vtr.Resize(m.ResizeRequest(name="one", cols=30, rows=5))
step("Resize", vtr.GetScreen(m.GetScreenRequest(name="one")).cols == 30)
found = vtr.Grep(m.GrepRequest(name="one", pattern="^gr", context_before=1)).matches
step("Grep", [(each.line, list(each.context_before)) for each in found] == [("grüner", ["ready"])])

never = m.WaitForRequest(name="one", pattern="never", timeout=seconds(60))
step("a deadline", status(vtr.WaitFor, never, timeout=0.1) == grpc.StatusCode.DEADLINE_EXCEEDED)
cancelled = vtr.WaitFor.future(never)
cancelled.cancel()
step("a cancel", cancelled.cancelled())
step("a time-out", vtr.WaitFor(m.WaitForRequest(name="one", pattern="x", timeout=seconds(0.05))).timed_out)
try:
    vtr.List(m.ListRequest(), compression=grpc.Compression.Gzip)
except grpc.RpcError as error:
    compressed = error
step("no gzip", compressed.code() is grpc.StatusCode.UNIMPLEMENTED and "identity" in compressed.details())

vtr.Kill(m.KillRequest(name="one", signal="KILL"))
while vtr.Info(m.InfoRequest(name="one")).session.status != m.SESSION_STATUS_EXITED:
    time.sleep(0.01)
step("Kill", vtr.Info(m.InfoRequest(name="one")).session.exit_code == 137)
text = m.SendTextRequest(name="one", text="x")
step("after the exit", status(vtr.SendText, text) == grpc.StatusCode.FAILED_PRECONDITION)
# What was typed without echo is a secret: recordings do not have it.
recorded = vtr.DumpAsciinema(m.DumpAsciinemaRequest(name="one")).data.decode().splitlines()
header, *events = [json.loads(line) for line in recorded if not line.startswith("#")]
step("DumpAsciinema", header["version"] == 3 and "ready" in "".join(e[2] for e in events if e[1] == "o"))
vtr.Remove(m.RemoveRequest(name="one"))
step("Remove", status(vtr.Info, m.InfoRequest(name="one")) == grpc.StatusCode.NOT_FOUND)
channel.close()
