#include <catch2/catch_test_macros.hpp>

#include "core/text.hpp"

using namespace heapwright;

TEST_CASE("a name that is harmless stays as it is") {
    for (const char* text :
         {"", "llvmpipe (LLVM 15.0.6, 256 bits)", "RX 5700 XT · RADV", "グラフィックス", "std::string", "😀", "# 1 ## 2",
          "## vs", "#[x]", "a --- b", "-- x", "section_start:1:a", "time: start", "folder:end", "a+++ b"})
        CHECK(printable(text) == text);
}

TEST_CASE("what moves a cursor, ends a line or turns text around comes out as its number") {
    CHECK(printable("a\nb\r\tc") == "a\\nb\\r\\tc");
    CHECK(printable("\x1b[31mred\x7f") == "\\x1b[31mred\\x7f");
    CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
    CHECK(printable("\xc2\x9b"
                    "31m") == "\\u009b31m");
    CHECK(printable("\xe2\x80\xae"
                    "gnp.exe") == "\\u202egnp.exe");
    CHECK(printable("\xe2\x80\xa8x") == "\\u2028x");
    CHECK(printable("\xef\xbf\xbe \xef\xbf\xbf") == "\\ufffe \\uffff");
    CHECK(printable("\xf0\x9f\xbf\xbe") == "\\u1fffe");
}

TEST_CASE("bytes that are no UTF-8 come out as bytes") {
    CHECK(printable("\xff\xc3(") == "\\xff\\xc3(");
    CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");               // overlong
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");      // a surrogate
    CHECK(printable("\xe2\x80") == "\\xe2\\x80");               // cut off
    CHECK(printable("\xf4\x90\x80\x80").starts_with("\\xf4"));  // beyond the last character
}

TEST_CASE("a text commands no workflow") {
    CHECK(printable("::error::x") == "\\::error::x");
    CHECK(printable("  ::error::x") == "  \\::error::x");
    CHECK(printable("a\n::error::x") == "a\\n::error::x");
    CHECK(printable("x ##[error]y") == "x #\\#[error]y");
    CHECK(printable("x ##vso[task.complete result=Failed]") == "x #\\#vso[task.complete result=Failed]");
    CHECK(printable("###VSO[x") == "##\\#VSO[x");
    CHECK(printable("##teamcity[buildStop]") == "#\\#teamcity[buildStop]");
    CHECK(printable("travis_fold:start:a travis_time:end:b") == "travis_fold\\:start:a travis_time\\:end:b");
    for (const std::string header : {"--- x", "+++ x", "~~~\xc2\xa0x", "^^^ +++", "---"}) {
        CHECK(printable(header) == "\\" + header);
        CHECK(printable("x " + header) == "x " + header);
    }
    CHECK(printable_lines("a\n--- x\n---\n|---|\n") == "a\n\\--- x\n---\n|---|\n");
    // GitLab's, whole: without the two characters it is a word.
    CHECK(printable("section_start:1:a\r\x1b[0K") == "section_start:1:a\\r\\x1b[0K");
    CHECK(printable_lines("one\n::error::x\n\t::add-mask::y\n") == "one\n\\::error::x\n\t\\::add-mask::y\n");
}

TEST_CASE("what is not seen hides no command") {
    CHECK(printable("\xc2\xa0\xe3\x80\x80::error::x") == "\xc2\xa0\xe3\x80\x80\\::error::x");
    CHECK(printable(":\xc2\xad:error::x") == "\\:\xc2\xad:error::x");
    CHECK(printable("#\xe2\x80\x8b#v\xc2\xadso[x") == "#\\\xe2\x80\x8b#v\xc2\xadso[x");
    CHECK(printable("é::x") == "é::x");
}

TEST_CASE("a text of lines keeps its lines, and what is printable is printable again") {
    CHECK(printable_lines("a\tb\n\nc") == "a\tb\n\nc");
    CHECK(printable_lines("a\r\nb\x1b") == "a\\r\nb\\x1b");
    for (const char* text : {"::x", "a\nb", "\xff", "##[x", "\\::x", "--- x", "####vso[", "fold:start:x", " \t::x"}) {
        CHECK(printable(printable(text)) == printable(text));
        CHECK(printable_lines(printable(text)) == printable(text));
    }
}
