import { type CheckResult, ok, problem, warning } from '../../platform/check-result.ts'
import type { Config } from '../../platform/config/config.ts'
import { reachOf } from '../../shared/urls/reach.ts'

type Address = Pick<Config, 'baseUrl' | 'isAddressed'>

export function checkAddress({ baseUrl, isAddressed }: Address): CheckResult {
  const reach = reachOf(baseUrl)
  if (reach === 'everywhere') return ok(`People open ToolBox at ${baseUrl}.`)
  const where = reach === 'computer' ? 'on this computer' : 'in its own network'
  const why = isAddressed ? '' : ", since BASE_URL isn't set"
  return warning(
    `ToolBox can be opened only ${where}, at ${baseUrl}${why}. Hooks, badges and status pages don't work elsewhere.`,
    'Set BASE_URL to the address people use to open ToolBox, and restart it.',
  )
}

export function checkEncryption({ baseUrl }: Pick<Address, 'baseUrl'>): CheckResult {
  if (baseUrl.startsWith('https:')) return ok('Connections are encrypted (https).')
  if (reachOf(baseUrl) === 'computer') return ok('On this computer, http is enough.')
  return problem(
    'Passwords and sessions are sent unencrypted, since BASE_URL begins with http://.',
    'Put a proxy with a certificate in front, such as Caddy, and change BASE_URL to https://.',
  )
}

/** How a request arrived: whether a proxy marked it as forwarded, from which peer, and the address it counts as. */
export type RequestConnection = { isForwarded: boolean; peer: string; address: string }

/** Checks whether visitors are distinguished by their own addresses, judged by how this request arrived. */
export function checkProxy(
  { trustProxy }: Pick<Config, 'trustProxy'>,
  { isForwarded, peer, address }: RequestConnection,
): CheckResult {
  const todo = 'Set TRUST_PROXY to the number of proxies in front (usually 1), or to their address ranges.'
  if (trustProxy === false && !isForwarded) return ok('There is no proxy in front of ToolBox.')
  if (trustProxy === false)
    return warning(
      "There is a proxy that isn't trusted, so rate limits and the audit log see all visitors as one.",
      todo,
    )
  if (!isForwarded)
    return warning(
      'TRUST_PROXY is set, but your request did not come through a proxy. Anyone who connects that way can claim any address.',
      'Let only the proxy reach this port, or unset TRUST_PROXY.',
    )
  if (peer === address) return warning(`Your request came through ${peer}, which TRUST_PROXY doesn't include.`, todo)
  return ok(`The proxy at ${peer} is trusted. Your own address is ${address}.`)
}
