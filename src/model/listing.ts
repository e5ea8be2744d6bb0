// The models a server has, by the ids that calls name them with.
import { ToolwireError } from '../errors/error.js'
import { type ListedModel, listingRequest, readListing } from '../wire/directory.js'
import { endpointOf } from './endpoint.js'
import { type CompatibleOptions, recordOf } from './factories.js'
import { withoutSecrets } from './secrets.js'
import { answered, failureOf, toConnectionError, whole } from './sending.js'

/** The server that is asked for its models. */
export type ListingOptions = Omit<CompatibleOptions, 'model' | 'capabilities'> & {
  readonly signal?: AbortSignal | undefined
}

/** Asks a server for its models. Fails like a call does, and with `malformed_response` when the answer is no listing. */
export async function listModels({
  wire,
  profile,
  signal,
  ...options
}: ListingOptions): Promise<readonly ListedModel[]> {
  const { codec, record } = recordOf(wire, profile)
  const endpoint = endpointOf(codec, record, 'models', options)
  const until = signal ?? new AbortController().signal
  try {
    if (endpoint.missingKey !== undefined) throw new ToolwireError('authentication', endpoint.missingKey)
    const { body } = await whole(await answered(endpoint, listingRequest(wire), until))
    const models = readListing(wire, body)
    if (models !== undefined) return models
    throw new ToolwireError('malformed_response', `${record.name} answered with something that lists no models`)
  } catch (error) {
    throw withoutSecrets(failureOf(error, until, toConnectionError), endpoint.secrets)
  }
}
