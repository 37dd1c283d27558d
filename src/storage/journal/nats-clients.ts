/** The clients of NATS: a bundle of its own, loaded only by a server that is told of a NATS server. */
export {
  type ConsumerMessages,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from "@nats-io/jetstream";
export {
  connect,
  createInbox,
  headers,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from "@nats-io/transport-node";
