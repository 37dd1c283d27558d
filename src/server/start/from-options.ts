/** Parts of the server that follow from its options alone, or from them and the store. Starts nothing. */
import type { Features } from "../../base/contract/features.ts";
import type { Log } from "../../base/log/log.ts";
import { AddressPolicy } from "../../base/net/address-policy.ts";
import { Outgoing } from "../../base/net/outgoing.ts";
import { RERANKER_MODEL, RERANKER_URL, Reranker } from "../../base/net/reranker.ts";
import type { Store, WebhookRecord } from "../../storage/store/store.ts";
import { FeatureFlags } from "../front/state/features.ts";
import { chooseTransport } from "../front/transport/choose.ts";
import type { OpenTransport, TlsFiles } from "../front/transport/transport.ts";
import { OptionError, type Options } from "../options/options.ts";

export function featureFlags(store: Store, options: Options): FeatureFlags {
  const forced: Partial<Features> = {};
  if (options.enableMetrics) forced.metrics = true;
  if (options.enableLogsRoute) forced.logsRoute = true;
  if (options.containsFilter) forced.containsFilter = true;
  return new FeatureFlags(store, { legacySearch: options.legacySearch }, forced);
}

/** Its address is the operator's, so it may be anywhere. */
export function rerankerFor({
  personalizationApiKey: apiKey,
  personalizationUrl,
  personalizationModel,
}: Options): Reranker | null {
  if (apiKey === null && personalizationUrl === null) return null;
  const url = personalizationUrl ?? RERANKER_URL;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new OptionError(`\`--experimental-personalization-url ${url}\` is no address to call`);
  }
  const model = personalizationModel ?? RERANKER_MODEL;
  return new Reranker(new Outgoing(new AddressPolicy(["any"])), { url, apiKey, model });
}

export function commandLineWebhook(options: Options): WebhookRecord | null {
  const { taskWebhookUrl: url, taskWebhookAuthorizationHeader: authorization } = options;
  if (url === null) return null;
  return { url, headers: authorization === null ? {} : { Authorization: authorization } };
}

export async function transportFor({ httpTransport }: Options, log: Log): Promise<OpenTransport> {
  try {
    return await chooseTransport(httpTransport, log);
  } catch (error) {
    throw new OptionError(`\`--http-transport ${httpTransport}\` cannot be had: ${(error as Error).message}`);
  }
}

export function tlsFiles({ sslCertPath, sslKeyPath, sslAuthPath }: Options): TlsFiles | null {
  if (sslCertPath === null || sslKeyPath === null) return null;
  return { cert: sslCertPath, key: sslKeyPath, authorities: sslAuthPath };
}
