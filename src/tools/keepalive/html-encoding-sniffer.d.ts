declare module 'html-encoding-sniffer' {
  type Known = { xml?: boolean; transportLayerEncodingLabel?: string | undefined; defaultEncoding?: string }
  /** Returns the name of an encoding (https://encoding.spec.whatwg.org/#names-and-labels). */
  export default function encodingOf(bytes: Uint8Array, options?: Known): string
}
