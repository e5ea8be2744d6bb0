// The formats of JSON Schema. A door of its own, so that programs that do not check formats do not load them.
import { isEmail, isIdnEmail, isIpv4, isIpv6 } from './addresses.js'
import { isDate, isDateTime, isDuration, isTime } from './dates.js'
import type { Formats } from './formats.js'
import { isHostname, isIdnHostname } from './hosts.js'
import { isJsonPointer, isRegex, isRelativeJsonPointer, isUuid } from './texts.js'
import { isIri, isIriReference, isUri, isUriReference, isUriTemplate } from './uris.js'

export type { Formats }

/** The name of a format of draft 2020-12. */
export type FormatName =
  | 'date-time'
  | 'date'
  | 'time'
  | 'duration'
  | 'email'
  | 'idn-email'
  | 'hostname'
  | 'idn-hostname'
  | 'ipv4'
  | 'ipv6'
  | 'uri'
  | 'uri-reference'
  | 'iri'
  | 'iri-reference'
  | 'uuid'
  | 'uri-template'
  | 'json-pointer'
  | 'relative-json-pointer'
  | 'regex'

/** Every format of draft 2020-12, by its name. Give it to a tool as `formats`, or only those you want to check. */
export const formats: Readonly<Record<FormatName, (text: string) => boolean>> = {
  'date-time': isDateTime,
  date: isDate,
  time: isTime,
  duration: isDuration,
  email: isEmail,
  'idn-email': isIdnEmail,
  hostname: isHostname,
  'idn-hostname': isIdnHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  'uri-reference': isUriReference,
  iri: isIri,
  'iri-reference': isIriReference,
  uuid: isUuid,
  'uri-template': isUriTemplate,
  'json-pointer': isJsonPointer,
  'relative-json-pointer': isRelativeJsonPointer,
  regex: isRegex,
}
