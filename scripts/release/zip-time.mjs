/**
 * Returns a zip in which all files have one time, so that equal files make equal zips. Layout: APPNOTE.TXT 6.3.10 of
 * PKWARE, sections 4.3.7 (a file), 4.3.12 (the directory) and 4.3.16 (its end).
 *
 * @param {Uint8Array} bytes without a comment, and of less than 4 GiB
 * @param {number} timeS in s since 1970, from 1980 on
 */
export function withZipTime(bytes, timeS) {
  const zip = Buffer.from(bytes);
  const end = zip.lastIndexOf('PK\x05\x06');
  let at = zip.readUInt32LE(end + 16);
  const time = dosTime(new Date(timeS * 1000));
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    zip.writeUInt32LE(time, at + 12);
    zip.writeUInt32LE(time, zip.readUInt32LE(at + 42) + 10);
    const lengths = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    at += lengths.reduce((sum, length) => sum + length, 46);
  }
  return zip;
}

/** The time in UTC as MS-DOS has it: 2 s are its unit. @param {Date} date */
const dosTime = (date) =>
  ((date.getUTCFullYear() - 1980) * 2 ** 25 +
    ((date.getUTCMonth() + 1) << 21) +
    (date.getUTCDate() << 16) +
    (date.getUTCHours() << 11) +
    (date.getUTCMinutes() << 5) +
    (date.getUTCSeconds() >> 1)) >>>
  0;
