// A self-signed certificate, made here: no key lies in the repository, and none can run out.
import { generateKeyPairSync, sign } from 'node:crypto'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** One value of DER. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)
const time = (at: Date): Buffer => der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`))

const algorithm = sequence(hex('06082a8648ce3d040302')) // ECDSA with SHA-256
const commonName = hex('0603550403')
const subjectAltName = hex('0603551d11')
const dayMs = 86_400_000

/** For the address 127.0.0.1, or for a name instead. */
export function certificate(name?: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const who = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name ?? '127.0.0.1')))))
  const place = name === undefined ? der(0x87, hex('7f000001')) : der(0x82, Buffer.from(name))
  const content = sequence(
    der(0xa0, hex('020102')), // version 3
    hex('020101'),
    algorithm,
    who,
    sequence(time(new Date(Date.now() - dayMs)), time(new Date(Date.now() + dayMs))),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, sequence(place))))),
  )
  const signature = der(0x03, hex('00'), sign('sha256', content, privateKey))
  const lines =
    sequence(content, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert }
}
