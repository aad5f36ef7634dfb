import { readFileSync } from 'node:fs'

/** Loaded before the server: its clock is off by as many milliseconds as the file TOOLBOX_CLOCK says at the time. */
const file = process.env.TOOLBOX_CLOCK ?? ''
const read = () => Number(readFileSync(file, 'utf8'))
let offset = read()
setInterval(() => {
  offset = read()
}, 20).unref()

const real = Date.now
Date.now = () => real() + offset
globalThis.Date = new Proxy(Date, {
  construct: (target, values, made) => Reflect.construct(target, values.length > 0 ? values : [Date.now()], made),
})
