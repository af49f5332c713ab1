import type { Random } from './random.ts';

const phrases = [
  '端末の画面を更新しました',
  '日本語とEnglishが混ざった行',
  '任务已经完成，用时三十二毫秒。',
  '正在下载软件包（共十二个）',
  '빌드가 성공적으로 끝났습니다',
  '설정 파일을 찾을 수 없음: config',
  'naïve café, Größe, mañana',
  'Привет, мир',
];
const emoji = ['🚀', '✅', '🔥', '🎉', '📦', '⚠️', '👍🏽', '👩‍💻', '🇯🇵', '😀'];

/** A line of Chinese, Japanese, Korean, accents and emoji. */
export function wideLine(random: Random): string {
  const count = random.integer(2, 5);
  const words = Array.from({ length: count }, () =>
    random.chance(0.3) ? random.pick(emoji) : random.pick(phrases),
  );
  return `${words.join(' ')}\r\n`;
}
