import { readFileSync } from 'node:fs'

/** Loaded before the server: offsets its clock by the milliseconds in the file TOOLBOX_CLOCK, which may change. */
const file = process.env.TOOLBOX_CLOCK ?? ''
const read = () => Number(readFileSync(file, 'utf8'))
let offset = read()
setInterval(() => {
  offset = read()
}, 20).unref()

const real = Date.now
Date.now = () => real() + offset
globalThis.Date = new Proxy(Date, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length > 0 ? values : [Date.now()], newTarget),
})
