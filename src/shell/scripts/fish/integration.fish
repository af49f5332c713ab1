# Marks prompts and commands (OSC 133) and reports the working directory (OSC 7). Read after all of the
# user's files (--init-command). fish 4 and other integrations may mark, too: vtr ignores marks without a proof.

# What proves that a mark is this shell's: the keys of a cipher, and the proof of the first marks. They are in a
# file that is emptied here, because every program of the user can read the environment of this shell.
set --global __vtr_keys
if builtin test -r "$VTR_SHELL_PROOF"
    builtin read --list --delimiter ' ' __vtr_keys <$VTR_SHELL_PROOF
    builtin printf '' >$VTR_SHELL_PROOF
end
set --erase VTR_SHELL_PROOF
# fish calculates with them as expressions.
if builtin string match --quiet --regex '[^0-9]' -- $__vtr_keys
    set --global __vtr_keys
end

# The number of the marks of the prompt and of the end before it. The mark of the next command has the one
# after it. It rises, and each mark contains its number encrypted, so marks that are printed again are ignored.
set --global __vtr_turn 2
# What proves the marks of this turn.
set --global __vtr_proof (builtin string join . $__vtr_keys[28 29] 2)

function __vtr_mark --argument-names what
    builtin printf '\e]133;%s;nonce=%s\a' $what $__vtr_proof
end

# Sets what proves the mark with a number: the number encrypted with Speck64/128.
function __vtr_prove --argument-names number
    set --local x 0
    set --local y $number
    for key in $__vtr_keys[1..27]
        set x (builtin math "bitxor((floor($x / 256) + $x % 256 * 16777216 + $y) % 4294967296, $key)")
        set y (builtin math "bitxor($y * 8 % 4294967296 + floor($y / 536870912), $x)")
    end
    set __vtr_proof $x.$y.$number
end

# The prompt is about to be shown.
function __vtr_prompt
    # fish has no event for the end of a prompt, so fish_prompt is wrapped, again after a redefinition.
    if not builtin functions fish_prompt | builtin string match --quiet '*__vtr_plain_prompt*'
        builtin functions --erase __vtr_plain_prompt 2>/dev/null
        builtin functions --copy fish_prompt __vtr_plain_prompt
        function fish_prompt
            __vtr_plain_prompt
            __vtr_mark B
        end
    end
    __vtr_begin_prompt
end

# Called by the key that vtr types after a line that it runs, which it pastes percent-encoded: fish leaves control
# characters out of a paste. A space at the end keeps fish from expanding an abbreviation there.
function __vtr_take
    set --local line (builtin commandline | builtin string unescape --style=url | builtin string collect)
    if not builtin string match --quiet '*\\\\' -- "$line"
        set line "$line "
        set --global __vtr_padded 1
    end
    builtin commandline --replace -- "$line"
end

# Called by the key that vtr types where a line with a syntax error is left. Ctrl+c would be lost, or leave an empty
# prompt, while fish runs fish_prompt.
function __vtr_erase
    builtin commandline --replace ''
end

function __vtr_begin_prompt
    builtin printf '\e]7;file://%s%s#nonce=%s\a' $hostname (builtin string escape --style=url -- $PWD) $__vtr_proof
    set --erase __vtr_padded
    # fish 4 takes an unknown key apart.
    if builtin string match --quiet --regex '^[0-3]\.' -- $version
        for mode in default insert
            builtin bind --mode $mode \e\[133\;1~ __vtr_take
            builtin bind --mode $mode \e\[133\;2~ __vtr_erase
        end
        __vtr_mark 'A;line_key=erasable'
    else
        __vtr_mark A
    end
end

function __vtr_start --argument-names line
    __vtr_prove (builtin math $__vtr_turn + 1)
    if set --query __vtr_padded
        set line (builtin string replace --regex ' $' '' -- "$line" | builtin string collect)
        set --erase __vtr_padded
    end
    set --local encoded (builtin string escape --style=url -- "$line")
    if builtin test (builtin string length -- "$encoded") -le 49152
        __vtr_mark "C;cmdline_url=$encoded"
    else
        __vtr_mark C
    end
end

function __vtr_end
    set --local code $status
    set __vtr_turn (builtin math $__vtr_turn + 2)
    __vtr_prove $__vtr_turn
    __vtr_mark "D;$code"
end

# Before version 3.2, math has no bitxor.
if builtin test (builtin count $__vtr_keys) -eq 29; and builtin math 'bitxor(1, 2)' &>/dev/null
    function __vtr_on_prompt --on-event fish_prompt
        __vtr_prompt
    end
    # After an abandoned line fish shows the same prompt again.
    function __vtr_on_cancel --on-event fish_cancel
        __vtr_begin_prompt
    end
    # After a syntax error fish shows the same prompt again, with the line. 127 is the status of
    # `fish -c` for it.
    function __vtr_on_error --on-event fish_posterror
        __vtr_mark "D;127"
        __vtr_begin_prompt
    end
    function __vtr_on_start --on-event fish_preexec
        __vtr_start $argv
    end
    # The first that is called after a command, as what the others print is no output of the command: fish calls
    # functions in the order in which they were defined.
    set --local others (builtin functions --handlers | builtin string replace --filter --regex '^fish_postexec ' '')
    function __vtr_on_end --on-event fish_postexec
        __vtr_end
    end
    for name in $others
        builtin functions -- $name | builtin source
    end
end
