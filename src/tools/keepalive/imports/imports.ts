import type { Imports } from '../../../entries/tool-server.ts'
import { fromMonitor } from './monitor.ts'

/** URLs are this tool's, unless a file says otherwise. */
export const imports: Imports = {
  field: 'url',
  identity: (url) => URL.parse(url)?.href ?? url,
  isUsual: true,
  columns: ['interval', 'method', 'statuses', 'text', 'absent'],
  fromRow({ interval, method, statuses, text, absent, ...rest }) {
    const expect = { ...(statuses && { statuses }), ...(text && { text }), ...(absent && { absent }) }
    return {
      ...rest,
      ...(interval && { interval: intervalOf(interval) }),
      ...(method && { method: method.toUpperCase() }),
      ...(Object.keys(expect).length > 0 && { expect }),
    }
  },
  fromMonitor,
}

/** Minutes, or `auto`; anything else stays as it is, for the contract to refuse. */
function intervalOf(text: string): number | string {
  const word = text.toLowerCase()
  return /^\d{1,6}$/.test(word) ? Number(word) : word
}
