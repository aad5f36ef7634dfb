import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { browser } from './people.ts'

type Screen = ReturnType<typeof browser>

/** The code that an authenticator app shows at this instant for the URI of a QR code (RFC 6238). */
export function totpCode(totpUri: string, at: number): string {
  const secret = new URL(totpUri).searchParams.get('secret') ?? ''
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const number = hash.readUInt32BE(hash[19]! & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const base64url = (data: Buffer | string) => Buffer.from(data).toString('base64url')
const userPresentFlag = 0x01
const userVerifiedFlag = 0x04
const attestedDataFlag = 0x40

/** A device with one passkey for this origin. `verifies`: whether it asks for a PIN, fingerprint or face. */
export function softPasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const jwk = publicKey.export({ format: 'jwk' })
  let counter = 0
  const data = (flags: number, more = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    return Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([flags]), count, more])
  }
  const client = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = { id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} }
  const userFlags = (verifies: boolean) => userPresentFlag | (verifies ? userVerifiedFlag : 0)
  return {
    id: credential.id,
    /** Resets the counter to its value before the last use, as a cloned passkey would have it. */
    rollBackCounter: () => void counter--,
    create({ challenge }: { challenge: string }, verifies = true) {
      // A P-256 key in COSE format, encoded as CBOR.
      const cose = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(jwk.x!, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(jwk.y!, 'base64url'),
      ])
      const attestedData = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose])
      const authData = data(userFlags(verifies) | attestedDataFlag, attestedData)
      // { fmt: 'none', attStmt: {}, authData }
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex')
      const attestationObject = Buffer.concat([head, Buffer.from([authData.length]), authData])
      const clientDataJSON = base64url(client('webauthn.create', challenge))
      return { ...credential, response: { clientDataJSON, attestationObject: base64url(attestationObject) } }
    },
    get({ challenge }: { challenge: string }, verifies = true) {
      const authenticatorData = data(userFlags(verifies))
      const clientData = client('webauthn.get', challenge)
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), privateKey)
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientData),
          authenticatorData: base64url(authenticatorData),
          signature: base64url(signature),
        },
      }
    },
  }
}

/** Sets up an authenticator app for a user who has just signed in; `code` is the one that it shows now. */
export async function turnOnApp({ now }: { now: () => number }, screen: Screen) {
  const { body } = await screen.post('/api/auth/two-factor/enable', {})
  const code = () => totpCode(body.totpURI, now())
  const { status } = await screen.post('/api/auth/two-factor/verify-totp', { code: code() })
  if (status !== 200) throw new Error(`turning on the app answered ${status}`)
  return { code, recoveryCodes: body.backupCodes as string[] }
}

/** Creates a passkey on this device for a user who has just signed in. */
export async function addPasskey(
  screen: Screen,
  device: ReturnType<typeof softPasskey>,
  name = 'Laptop',
  verifies = true,
) {
  const { body } = await screen.post('/api/v1/user/passkeys/options')
  return screen.post('/api/v1/user/passkeys', { name, response: device.create(body, verifies) })
}

/** Signs in with a device that has `get`; with `prove`, only confirms the user's identity. */
export async function enterPasskey(
  screen: Screen,
  device: Pick<ReturnType<typeof softPasskey>, 'get'>,
  { verifies = true, ...more }: { verifies?: boolean; prove?: true } = {},
) {
  const { body } = await screen.post('/api/auth/sign-in/passkey/options')
  return screen.post('/api/auth/sign-in/passkey', { ...more, response: device.get(body, verifies) })
}
